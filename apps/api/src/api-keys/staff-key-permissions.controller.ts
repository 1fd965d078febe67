import { PERMISSION_TEXTS } from '@app/domain/keys/permission-texts';
import type { Permission } from '@app/domain/keys/permissions';
import { Controller, Get } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { KeyPermissionsService } from './key-permissions.service';

interface KeyPermissionResponse {
  name: Permission;
  /** What it lets a key do. */
  description: string;
  /** The operations served here that require it, such as `GET /v1/models`. */
  operations: string[];
  /** Names of the services that have introspected a key for it. */
  services: string[];
}

@Controller('admin/key-permissions')
export class StaffKeyPermissionsController {
  constructor(private readonly permissions: KeyPermissionsService) {}

  /** Every permission that a key can have, what requires it, and which services have checked it. */
  @Get() // List the permissions of API keys, and what requires each
  @RequireStaff('keys.read')
  async list(): Promise<{ items: KeyPermissionResponse[] }> {
    const uses = await this.permissions.list();
    return { items: uses.map((use) => ({ ...use, description: PERMISSION_TEXTS[use.name] })) };
  }
}
