/** The WebRTC voice activity detector as WebAssembly; the package brings no types. */
declare module '@echogarden/fvad-wasm' {
  export interface FvadModule {
    HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _fvad_new(): number;
    _fvad_free(vad: number): void;
    _fvad_set_mode(vad: number, mode: number): number;
    _fvad_set_sample_rate(vad: number, hz: number): number;
    /** 1 speech, 0 none, -1 wrong frame length. */
    _fvad_process(vad: number, frame: number, length: number): number;
  }
  export default function fvad(): Promise<FvadModule>;
}
