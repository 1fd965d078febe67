import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AgreementService } from './agreement.service';
import { ReviewDeskListService } from './review-desk-list.service';
import { StaffAgreementController } from './staff-agreement.controller';
import { StaffReviewDeskController } from './staff-review-desk.controller';

/** The voices that wait for the ear of a person. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [StaffAgreementController, StaffReviewDeskController],
  providers: [AgreementService, ReviewDeskListService],
})
export class ReviewDeskModule {}
