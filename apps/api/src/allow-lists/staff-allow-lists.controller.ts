import type { ListOwner } from '@app/database/keys/allow-list.repository';
import { Controller } from '@nestjs/common';
import { AllowListController } from './allow-list.controller';

/** The list of a key. */
@Controller('admin/api-keys/:key_id/allowed-ips')
export class StaffAllowListsController extends AllowListController {
  protected ownerOf({ key_id: id = '' }: Record<string, string>): ListOwner {
    return { kind: 'key', id };
  }
}
