import { MemoryFile } from './memory-file';

const ERRNO = { success: 0, badf: 8, fbig: 22, noent: 44 } as const;
const FILE_TYPE = { character: 2, directory: 3, regular: 4 } as const;
const WHENCE = ['start', 'current', 'end'] as const;
const ROOT_FD = 3;
const FIRST_FILE_FD = 4;
/** The sounds of two minutes of speech are about 20,000. */
const MAX_LOG_CHARS = 100_000;

/** Thrown out of the program by `proc_exit`: WASI has no other way to stop. */
export class WasiExit extends Error {
  constructor(readonly exitCode: number) {
    super(`the program ended with exit code ${exitCode}`);
  }
}

/**
 * The thirteen WASI preview 1 calls that Flite imports, and nothing more: one folder `/` whose files live in memory,
 * a clock that stands still, no environment, no network. The program can therefore reach nothing outside this object,
 * and the same input gives the same bytes.
 *
 * `node:wasi` is not used: on Node 20 its destructor aborts the whole process during garbage collection.
 *
 * A host runs its program any number of times, one run after the other and each from the memory that the program started
 * with: filling 17 MB again costs a tenth of a new instance, whose pages the system has to find and clear first. After a
 * run that threw, the stack of the program is not unwound, and the host is not to be used again.
 *
 * Signatures: https://github.com/WebAssembly/WASI, preview 1.
 */
export class FliteWasiHost {
  private readonly memory: WebAssembly.Memory;
  private readonly start: () => void;
  private readonly initialMemory: Uint8Array;
  private readonly open = new Map<number, MemoryFile>();
  private files = new Map<string, MemoryFile>();
  private args: Buffer[] = [];
  private log = '';

  constructor(program: WebAssembly.Module) {
    const { exports } = new WebAssembly.Instance(program, { wasi_snapshot_preview1: this.calls() });
    const { memory, _start: start } = exports;
    if (!(memory instanceof WebAssembly.Memory) || typeof start !== 'function') {
      throw new TypeError('this is not a WASI program');
    }
    this.memory = memory;
    this.start = start as () => void;
    this.initialMemory = new Uint8Array(memory.buffer).slice();
  }

  /** What the program has; a run can only enlarge it. */
  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  /**
   * Runs the program to its end.
   *
   * @param args command line, the program's name first
   * @param files the files of `/` by name, without the slash; the program cannot create others
   * @returns what it printed on stdout and stderr, cut to 100,000 characters
   * @throws WasiExit when it stopped itself, as programs do that fail; WebAssembly traps as they are
   */
  run(args: string[], files: Map<string, MemoryFile>): string {
    this.args = args.map((arg) => Buffer.from(`${arg}\0`));
    this.files = files;
    this.log = '';
    this.open.clear();
    this.bytes(0, this.initialMemory.length).set(this.initialMemory);
    new Uint8Array(this.memory.buffer, this.initialMemory.length).fill(0);
    this.start();
    return this.log;
  }

  private calls(): Record<string, WebAssembly.ImportFunction> {
    return {
      args_sizes_get: (count: number, size: number) => this.argsSizes(count, size),
      args_get: (pointers: number, bytes: number) => this.argsGet(pointers, bytes),
      clock_time_get: (_clock: number, _precision: bigint, time: number) => this.clock(time),
      fd_close: (fd: number) => (this.open.delete(fd) ? ERRNO.success : ERRNO.badf),
      fd_fdstat_get: (fd: number, stat: number) => this.fdStat(fd, stat),
      fd_fdstat_set_flags: () => ERRNO.success,
      fd_prestat_get: (fd: number, stat: number) => this.rootStat(fd, stat),
      fd_prestat_dir_name: (fd: number, name: number) => this.rootName(fd, name),
      fd_read: (fd: number, vectors: number, count: number, done: number) =>
        this.read(fd, vectors, count, done),
      fd_seek: (fd: number, offset: bigint, whence: number, position: number) =>
        this.seek(fd, offset, whence, position),
      fd_write: (fd: number, vectors: number, count: number, done: number) =>
        this.write(fd, vectors, count, done),
      path_open: (...call: number[]) => this.openPath(call[2] ?? 0, call[3] ?? 0, call[8] ?? 0),
      proc_exit: (exitCode: number) => {
        throw new WasiExit(exitCode);
      },
    };
  }

  private argsSizes(count: number, size: number): number {
    this.view.setUint32(count, this.args.length, true);
    this.view.setUint32(size, Buffer.concat(this.args).length, true);
    return ERRNO.success;
  }

  private argsGet(pointers: number, bytes: number): number {
    let at = bytes;
    this.args.forEach((arg, index) => {
      this.view.setUint32(pointers + 4 * index, at, true);
      this.bytes(at, arg.length).set(arg);
      at += arg.length;
    });
    return ERRNO.success;
  }

  private clock(time: number): number {
    this.view.setBigUint64(time, 0n, true);
    return ERRNO.success;
  }

  private fdStat(fd: number, stat: number): number {
    if (fd > ROOT_FD && !this.open.has(fd)) return ERRNO.badf;
    const type =
      fd < ROOT_FD ? FILE_TYPE.character : fd === ROOT_FD ? FILE_TYPE.directory : FILE_TYPE.regular;
    this.bytes(stat, 24).fill(0);
    this.view.setUint8(stat, type);
    this.view.setBigUint64(stat + 8, 0xffff_ffffn, true);
    this.view.setBigUint64(stat + 16, 0xffff_ffffn, true);
    return ERRNO.success;
  }

  private rootStat(fd: number, stat: number): number {
    if (fd !== ROOT_FD) return ERRNO.badf;
    this.view.setUint32(stat, 0, true);
    this.view.setUint32(stat + 4, 1, true);
    return ERRNO.success;
  }

  private rootName(fd: number, name: number): number {
    if (fd !== ROOT_FD) return ERRNO.badf;
    this.view.setUint8(name, '/'.charCodeAt(0));
    return ERRNO.success;
  }

  private openPath(path: number, length: number, opened: number): number {
    const name = Buffer.from(this.bytes(path, length)).toString();
    const file = this.files.get(name);
    if (!file) return ERRNO.noent;
    file.seek(0, 'start');
    const fd = FIRST_FILE_FD + [...this.files.keys()].indexOf(name);
    this.open.set(fd, file);
    this.view.setUint32(opened, fd, true);
    return ERRNO.success;
  }

  private read(fd: number, vectors: number, count: number, done: number): number {
    const file = this.open.get(fd);
    if (!file) return ERRNO.badf;
    let total = 0;
    for (const target of this.vectors(vectors, count)) total += file.read(target);
    this.view.setUint32(done, total, true);
    return ERRNO.success;
  }

  private write(fd: number, vectors: number, count: number, done: number): number {
    const file = this.open.get(fd);
    if (!file && fd !== 1 && fd !== 2) return ERRNO.badf;
    let total = 0;
    for (const source of this.vectors(vectors, count)) {
      if (!file) this.log = (this.log + Buffer.from(source).toString()).slice(0, MAX_LOG_CHARS);
      else if (!file.write(source)) return ERRNO.fbig;
      total += source.length;
    }
    this.view.setUint32(done, total, true);
    return ERRNO.success;
  }

  private seek(fd: number, offset: bigint, whence: number, position: number): number {
    const file = this.open.get(fd);
    const from = WHENCE[whence];
    if (!file || !from) return ERRNO.badf;
    this.view.setBigUint64(position, BigInt(file.seek(Number(offset), from)), true);
    return ERRNO.success;
  }

  private vectors(at: number, count: number): Uint8Array[] {
    return Array.from({ length: count }, (_, index) => {
      const entry = at + 8 * index;
      return this.bytes(this.view.getUint32(entry, true), this.view.getUint32(entry + 4, true));
    });
  }

  // A grown memory is a new buffer, so neither view may be stored across calls.
  private get view(): DataView {
    return new DataView(this.memory.buffer);
  }

  private bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }
}
