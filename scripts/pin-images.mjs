// Pins every image of another project to the digest that its tag has now: `npm run pin-images`. It queries the registry, by
// Docker, and writes Dockerfile and docker-compose.yml; with --check it writes nothing and fails when a digest is another.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** An image with a tag, and a digest when it is pinned; ours is built here and has none. */
const IMAGE = /^(FROM (?:--\S+ )?|\s+image: )(?!greenroom:)([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?/gm;

/** The digest of the list of all platforms, so that the same pin holds on each. */
function digestOf(image) {
  const format = ['--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', ['buildx', 'imagetools', 'inspect', image, ...format], {
    encoding: 'utf8',
  }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image}: "${digest}" is not a digest.`);
  return digest;
}

const isCheck = process.argv.includes('--check');
for (const name of ['Dockerfile', 'docker-compose.yml']) {
  const text = readFileSync(join(root, name), 'utf8');
  const pinned = text.replace(IMAGE, (_, before, image) => `${before}${image}@${digestOf(image)}`);
  if (pinned === text) continue;
  if (!isCheck) writeFileSync(join(root, name), pinned);
  console.log(`${name}: ${isCheck ? 'its digests are not those of today' : 'pinned'}`);
  if (isCheck) process.exitCode = 1;
}
