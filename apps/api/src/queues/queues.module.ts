import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { QueueModule } from '@app/queue/queue.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { StaffModule } from '../staff/staff.module';
import { DeadLettersService } from './dead-letters.service';
import { QueueAccess } from './queue-access';
import { QueueEventsService } from './queue-events.service';
import { QueueJobsService } from './queue-jobs.service';
import { QueuesService } from './queues.service';
import { StaffDeadLettersController } from './staff-dead-letters.controller';
import { StaffQueueJobsController } from './staff-queue-jobs.controller';
import { QueueTimesService } from './queue-times.service';
import { StaffQueueTimesController } from './staff-queue-times.controller';
import { StaffQueuesController } from './staff-queues.controller';
import { StaffWaitingAccountsController } from './staff-waiting-accounts.controller';

/** Queues and dead letters, for staff. */
@Module({
  imports: [AdministrationModule, DatabaseModule, HttpModule, QueueModule, StaffModule],
  controllers: [
    StaffDeadLettersController,
    StaffQueueJobsController,
    StaffQueueTimesController,
    StaffQueuesController,
    StaffWaitingAccountsController,
  ],
  providers: [
    DeadLettersService,
    QueueAccess,
    QueueEventsService,
    QueueJobsService,
    QueueTimesService,
    QueuesService,
  ],
})
export class QueuesModule {}
