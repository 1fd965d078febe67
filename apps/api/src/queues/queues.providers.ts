import { DeadLettersService } from './dead-letters.service';
import { QueueAccess } from './queue-access';
import { QueueBoardService } from './queue-board.service';
import { QueueEventsService } from './queue-events.service';
import { QueuesService } from './queues.service';
import { StaffDeadLettersController } from './staff-dead-letters.controller';
import { StaffQueueBoardController } from './staff-queue-board.controller';
import { StaffQueuesController } from './staff-queues.controller';

/** Queues and dead letters, for the api's module. */
export const QUEUE_CONTROLLERS = [
  StaffDeadLettersController,
  StaffQueueBoardController,
  StaffQueuesController,
];
export const QUEUE_PROVIDERS = [
  DeadLettersService,
  QueueAccess,
  QueueBoardService,
  QueueEventsService,
  QueuesService,
];
