import { AdministrationModule } from '@app/administration/administration.module';
import { Module } from '@nestjs/common';
import { StaffBudgetsController } from './staff-budgets.controller';

/** Budgets of accounts, for staff. */
@Module({ imports: [AdministrationModule], controllers: [StaffBudgetsController] })
export class BudgetsModule {}
