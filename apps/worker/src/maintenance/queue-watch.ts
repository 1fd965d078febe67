import { VOICE_REVIEW_QUEUE } from '@app/queue/jobs';
import { InjectQueue } from '@nestjs/bullmq';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Queue } from 'bullmq';
import { Loop, type Round } from '../loop';
import { ReviewProcessor } from '../review/review.processor';

const EVERY_MS = 10_000;
const STUCK_AFTER_MS = 60_000;

export interface QueueState {
  waiting: number;
  /** How long jobs have been waiting without this process starting one or being at one; 0 when none wait. */
  idleMs: number;
  isStuck: boolean;
}

/** Watches that this process takes jobs. A worker can be connected and alive and still not take any. */
@Injectable()
export class QueueWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Settles when this process is found stuck: it should be ended and started again. */
  readonly stuck: Promise<void>;
  private readonly logger = new Logger(QueueWatch.name);
  private readonly loop = new Loop(QueueWatch.name, () => this.look(), EVERY_MS);
  private reportStuck: () => void;
  private idleSince: number | null = null;
  private waiting = 0;

  constructor(
    @InjectQueue(VOICE_REVIEW_QUEUE) private readonly queue: Queue,
    private readonly processor: ReviewProcessor,
  ) {
    this.stuck = new Promise((resolve) => (this.reportStuck = resolve));
  }

  onApplicationBootstrap(): void {
    this.processor.worker.on('active', () => (this.idleSince = null));
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  state(nowMs = performance.now()): QueueState {
    const idleMs = this.idleSince === null ? 0 : nowMs - this.idleSince;
    return { waiting: this.waiting, idleMs, isStuck: idleMs > STUCK_AFTER_MS };
  }

  /** @throws when the queue cannot be asked: then the process is not to blame */
  async look(nowMs = performance.now()): Promise<Round> {
    try {
      this.waiting = (await this.queue.isPaused()) ? 0 : await this.queue.getWaitingCount();
    } catch (error) {
      this.idleSince = null;
      throw error;
    }
    const isIdle = this.waiting > 0 && !this.processor.isBusy;
    this.idleSince = isIdle ? (this.idleSince ?? nowMs) : null;
    const { isStuck, ...state } = this.state(nowMs);
    if (isStuck) {
      this.logger.error('Jobs wait and this worker starts none', state);
      this.reportStuck();
    }
    return 'idle';
  }
}
