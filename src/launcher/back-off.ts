/** How long to wait before a process that exited unasked is started again. */
export class BackOff {
  private failures = 0;

  constructor(
    private readonly firstMs = 500,
    private readonly longestMs = 30_000,
    /** A process that lived this long starts from the shortest wait again. */
    private readonly settledMs = 30_000,
  ) {}

  /** The wait after a process lived for `uptimeMs`: doubles with every failure in a row. */
  next(uptimeMs: number): number {
    if (uptimeMs >= this.settledMs) this.failures = 0;
    return Math.min(this.firstMs * 2 ** this.failures++, this.longestMs);
  }
}
