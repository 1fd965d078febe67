import { AdministrationModule } from '@app/administration/administration.module';
import { Module } from '@nestjs/common';
import { StaffAccountKeyPolicyController } from './staff-account-key-policy.controller';
import { StaffKeyPoliciesController } from './staff-key-policies.controller';

/** What tiers and accounts demand of their keys, for staff. */
@Module({
  imports: [AdministrationModule],
  controllers: [StaffAccountKeyPolicyController, StaffKeyPoliciesController],
})
export class KeyPoliciesModule {}
