/** A growing file in memory, with a position and an upper bound on its size. */
export class MemoryFile {
  private position = 0;
  private length: number;

  constructor(
    private content: Uint8Array,
    private readonly maxBytes: number,
  ) {
    this.length = content.length;
  }

  /** Copies the next bytes into `target` and advances; returns how many there were. */
  read(target: Uint8Array): number {
    const chunk = this.content.subarray(this.position, Math.min(this.length, this.position + target.length));
    target.set(chunk);
    this.position += chunk.length;
    return chunk.length;
  }

  /** Writes at the position; false, with nothing written, when the file would outgrow its bound. */
  write(source: Uint8Array): boolean {
    const end = this.position + source.length;
    if (end > this.maxBytes) return false;
    if (end > this.content.length) this.grow(end);
    this.content.set(source, this.position);
    this.position = end;
    this.length = Math.max(this.length, end);
    return true;
  }

  /** Moves the position (clamped to 0 and the bound) and returns the new one. */
  seek(offset: number, from: 'start' | 'current' | 'end'): number {
    const origin = { start: 0, current: this.position, end: this.length }[from];
    this.position = Math.min(this.maxBytes, Math.max(0, origin + offset));
    return this.position;
  }

  /** Everything written so far; shares memory with the file. */
  bytes(): Uint8Array {
    return this.content.subarray(0, this.length);
  }

  private grow(needed: number): void {
    const larger = new Uint8Array(Math.min(this.maxBytes, Math.max(needed, this.content.length * 2, 65_536)));
    larger.set(this.content.subarray(0, this.length));
    this.content = larger;
  }
}
