import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { VoicesModule } from '../voices/voices.module';
import { BulkReviewsService } from './bulk-reviews.service';
import { GradesService } from './grades.service';
import { ReviewsService } from './reviews.service';
import { RulesetComparisonService } from './ruleset-comparison.service';
import { StaffAccountGradesController } from './staff-account-grades.controller';
import { StaffReviewsController } from './staff-reviews.controller';
import { StaffRulesetsController } from './staff-rulesets.controller';

/** What staff do with reviews and their rulesets. */
@Module({
  imports: [AdministrationModule, DatabaseModule, VoicesModule, WebhookEventsModule],
  controllers: [StaffAccountGradesController, StaffReviewsController, StaffRulesetsController],
  providers: [BulkReviewsService, GradesService, ReviewsService, RulesetComparisonService],
  exports: [BulkReviewsService, ReviewsService],
})
export class ReviewsModule {}
