import type { ListOwner } from '@app/database/keys/allow-list.repository';
import { Controller } from '@nestjs/common';
import { AllowListController } from './allow-list.controller';

/** The list of an account, which holds for all of its keys beside their own. */
@Controller('admin/accounts/:account_id/allowed-ips')
export class StaffAccountAllowListController extends AllowListController {
  protected ownerOf({ account_id: id = '' }: Record<string, string>): ListOwner {
    return { kind: 'account', id };
  }
}
