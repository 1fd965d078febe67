import { PERMISSION_TEXTS } from '@app/domain/keys/permission-texts';
import { PERMISSIONS, type Permission } from '@app/domain/keys/permissions';
import { Controller, Get } from '@nestjs/common';
import { RouteTable } from '../http/route-table';
import { RequireStaff } from '../http/staff-access';

interface KeyPermissionResponse {
  name: Permission;
  /** What it lets a key do. */
  description: string;
  /** The operations served here that require it, such as `GET /v1/models`. */
  operations: string[];
}

@Controller('admin/key-permissions')
export class StaffKeyPermissionsController {
  constructor(private readonly routes: RouteTable) {}

  /** Every permission that a key can have, and what requires it. */
  @Get()
  @RequireStaff('keys.read')
  list(): { items: KeyPermissionResponse[] } {
    const routes = this.routes.list().filter(({ method }) => method !== 'HEAD');
    const operationsOf = (name: Permission) =>
      routes.filter(({ access }) => access === name).map(({ method, path }) => `${method} ${path}`);
    const items = PERMISSIONS.map((name) => ({
      name,
      description: PERMISSION_TEXTS[name],
      operations: operationsOf(name).sort(),
    }));
    return { items };
  }
}
