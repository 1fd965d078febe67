/** The WebAssembly build, which runs on every platform; the package's own types are those of its main file. */
declare module '@evan/opus/wasm/index.js' {
  export class Encoder {
    constructor(options: { channels: 1 | 2; sample_rate: number; application: 'voip' | 'audio' });
    /** Sets a value of libopus. */
    ctl(command: number, value: number): number;
    /** A packet of one frame of signed 16-bit samples. */
    encode(pcm: ArrayBufferView): Uint8Array;
    drop(): void;
  }
}
