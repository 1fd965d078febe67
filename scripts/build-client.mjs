// Builds packages/client to packages/client/dist: as ES modules and as CommonJS, each with types. `npm pack` there runs it. Needs the
// description of the API that the build has written, as types.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const client = join(root, 'packages', 'client');
const schema = join(root, 'dist', 'console-types', 'schema.d.ts');

if (!existsSync(schema)) throw new Error(`${schema} is missing: run "npm run build" first.`);
rmSync(join(client, 'dist'), { recursive: true, force: true });

const { config } = ts.readConfigFile(join(client, 'tsconfig.json'), (path) => ts.sys.readFile(path));
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, client);
const sources = readdirSync(join(client, 'src')).filter((name) => !name.endsWith('.spec.ts'));
const declarations = declare();

for (const [folder, type, module] of [
  ['esm', 'module', ts.ModuleKind.ES2022],
  ['cjs', 'commonjs', ts.ModuleKind.CommonJS],
]) {
  const target = join(client, 'dist', folder);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify({ type })}\n`);
  for (const name of sources) {
    const compilerOptions = {
      ...options,
      module,
      declaration: false,
      emitDeclarationOnly: false,
      removeComments: true,
    };
    const text = readFileSync(join(client, 'src', name), 'utf8');
    const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: name });
    writeFileSync(join(target, name.replace(/ts$/, 'js')), outputText);
  }
  for (const [name, text] of declarations) writeFileSync(join(target, name), text);
}
// 1.4 MB, once for both.
cpSync(schema, join(client, 'dist', 'cjs', 'schema.d.ts'));
writeFileSync(join(client, 'dist', 'esm', 'schema.d.ts'), "export type * from '../cjs/schema.js';\n");
cpSync(join(root, 'LICENSE'), join(client, 'LICENSE'));

/** The types of every file, by its name. */
function declare() {
  const files = new Map();
  const program = ts.createProgram(
    sources.map((name) => join(client, 'src', name)),
    options,
  );
  const problems = ts.getPreEmitDiagnostics(program);
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, ts.createCompilerHost(options)));
  program.emit(undefined, (path, text) => {
    if (path.includes('/packages/client/src/'))
      files.set(path.split('/').at(-1), text.replaceAll(".ts';", ".js';"));
  });
  return files;
}
