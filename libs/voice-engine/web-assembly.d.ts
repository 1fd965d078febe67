/** The part of the WebAssembly JavaScript API that this folder uses; Node's types leave it to the browser's. */
declare namespace WebAssembly {
  type ImportFunction = (...args: never[]) => unknown;

  class Module {
    constructor(bytes: Uint8Array);
  }

  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, ImportFunction>>);
    readonly exports: Record<string, unknown>;
  }

  class RuntimeError extends Error {}

  class Memory {
    readonly buffer: ArrayBuffer;
  }
}
