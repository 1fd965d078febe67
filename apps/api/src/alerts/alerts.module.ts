import { AdministrationModule } from '@app/administration/administration.module';
import { AlertsModule as AlertsLibrary } from '@app/alerts/alerts.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AlertLogService } from './alert-log.service';
import { PublicUnsubscribeController } from './public-unsubscribe.controller';
import { StaffAccountAlertRulesController } from './staff-account-alert-rules.controller';
import { StaffAccountContactsController } from './staff-account-contacts.controller';
import { StaffAlertMessagesController } from './staff-alert-messages.controller';
import { StaffAlertRulesController } from './staff-alert-rules.controller';
import { StaffContactsController } from './staff-contacts.controller';

/** Contacts, rules, and the log of notifications, for staff; the page to unsubscribe, for recipients. */
@Module({
  imports: [AdministrationModule, AlertsLibrary, DatabaseModule],
  controllers: [
    PublicUnsubscribeController,
    StaffAccountAlertRulesController,
    StaffAccountContactsController,
    StaffAlertMessagesController,
    StaffAlertRulesController,
    StaffContactsController,
  ],
  providers: [AlertLogService],
})
export class AlertsModule {}
