import { Injectable } from '@nestjs/common';

/** Rung when a review has ended: its place in the queue is free, and the relay need not wait for its next round. */
@Injectable()
export class RelayBell {
  private listener: () => void = () => undefined;

  ring(): void {
    this.listener();
  }

  /** What is done when it rings; the last one that was given. */
  answer(listener: () => void): void {
    this.listener = listener;
  }
}
