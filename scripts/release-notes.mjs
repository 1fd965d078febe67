// Prints what the changelog says of the version in package.json, or of the one that is given.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (name) => readFileSync(join(root, name), 'utf8');

const version = process.argv[2] ?? JSON.parse(read('package.json')).version;
const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
if (section === undefined) {
  process.stderr.write(
    `CHANGELOG.md has no section "## ${version}", only ${sections.map((text) => `"## ${text.split('\n', 1)[0]}"`).join(', ')}.\n`,
  );
  process.exit(1);
}
process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`);
