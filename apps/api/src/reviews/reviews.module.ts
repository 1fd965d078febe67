import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { VoicesModule } from '../voices/voices.module';
import { HttpModule } from '../http/http.module';
import { AppealRequests } from './appeal-requests';
import { AppealsService } from './appeals.service';
import { BulkReviewsService } from './bulk-reviews.service';
import { GradesService } from './grades.service';
import { ManualGrades } from './manual-grades.service';
import { PublicAppealsController } from './public-appeals.controller';
import { ReviewsService } from './reviews.service';
import { RulesetComparisonService } from './ruleset-comparison.service';
import { SecondListenings } from './second-listenings.service';
import { StaffAccountGradesController } from './staff-account-grades.controller';
import { StaffAppealsController } from './staff-appeals.controller';
import { StaffReviewsController } from './staff-reviews.controller';
import { StaffRulesetsController } from './staff-rulesets.controller';
import { StaffVoiceCommentsController } from './staff-voice-comments.controller';
import { VoiceCommentsService } from './voice-comments.service';

/** What staff do with reviews and their rulesets. */
@Module({
  imports: [AdministrationModule, DatabaseModule, HttpModule, VoicesModule, WebhookEventsModule],
  controllers: [
    StaffVoiceCommentsController,
    PublicAppealsController,
    StaffAccountGradesController,
    StaffAppealsController,
    StaffReviewsController,
    StaffRulesetsController,
  ],
  providers: [
    AppealRequests,
    AppealsService,
    BulkReviewsService,
    GradesService,
    ManualGrades,
    ReviewsService,
    RulesetComparisonService,
    SecondListenings,
    VoiceCommentsService,
  ],
  exports: [BulkReviewsService, ReviewsService],
})
export class ReviewsModule {}
