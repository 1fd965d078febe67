import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { VoicesModule } from '../voices/voices.module';
import { HttpModule } from '../http/http.module';
import { AppealRequests } from './appeal-requests';
import { GradesService } from './grades.service';
import { PublicAppealsController } from './public-appeals.controller';
import { RulesetComparisonService } from './ruleset-comparison.service';
import { StaffAccountGradesController } from './staff-account-grades.controller';
import { StaffAppealsController } from './staff-appeals.controller';
import { StaffReviewsController } from './staff-reviews.controller';
import { StaffRulesetsController } from './staff-rulesets.controller';
import { StaffVoiceCommentsController } from './staff-voice-comments.controller';

/** What staff do with reviews and their rulesets. */
@Module({
  imports: [AdministrationModule, DatabaseModule, HttpModule, VoicesModule],
  controllers: [
    StaffVoiceCommentsController,
    PublicAppealsController,
    StaffAccountGradesController,
    StaffAppealsController,
    StaffReviewsController,
    StaffRulesetsController,
  ],
  providers: [AppealRequests, GradesService, RulesetComparisonService],
})
export class ReviewsModule {}
