/** A cache of credentials, which the listener evicts from when they change. */
export interface ChangeFollower {
  /** Evicts what is cached under an id. To be called after its change was committed. */
  invalidate(id: string): void;
  /** Evicts everything: for a process that may have missed changes and listens again from now on. */
  invalidateAll(): void;
  /**
   * Until when what is cached may be used; afterwards every request reads. It is compared with the clock at each request: a
   * process that was stopped for a while cannot use its cache in the moment in which it runs again.
   *
   * @param monotonicMs on the follower's monotonic clock; it has no limit before the first call
   */
  leaseUntil(monotonicMs: number): void;
}
