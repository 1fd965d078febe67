import { Injectable } from '@nestjs/common';

/**
 * Rung when the relay need not wait for its next round: messages have been committed, or a review has ended and its place in
 * the queue is free.
 */
@Injectable()
export class RelayWakeSignal {
  private listener: () => void = () => undefined;

  wake(): void {
    this.listener();
  }

  /** What is done at the signal; the last one that was set. */
  onWake(listener: () => void): void {
    this.listener = listener;
  }
}
