import { StaffVoiceReader } from '../voices/staff-voice-reader.service';
import { StaffVoicesController } from '../voices/staff-voices.controller';
import { VoiceListeningService } from '../voices/voice-listening.service';
import { BulkReviewsService } from './bulk-reviews.service';
import { ReviewsService } from './reviews.service';
import { RulesetComparisonService } from './ruleset-comparison.service';
import { StaffReviewsController } from './staff-reviews.controller';
import { StaffRulesetsController } from './staff-rulesets.controller';

/** What staff do with voices and their reviews, for the api's module. Routes with a fixed name come first. */
export const REVIEW_CONTROLLERS = [StaffReviewsController, StaffRulesetsController, StaffVoicesController];
export const REVIEW_PROVIDERS = [
  BulkReviewsService,
  ReviewsService,
  RulesetComparisonService,
  StaffVoiceReader,
  VoiceListeningService,
];
