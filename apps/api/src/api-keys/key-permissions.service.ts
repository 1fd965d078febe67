import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { PERMISSIONS, type Permission } from '@app/domain/keys/permissions';
import { askingService } from '@app/domain/traffic/traffic';
import { Injectable } from '@nestjs/common';
import { RouteTable } from '../http/route-table';

/** Where a permission matters. */
export interface PermissionUse {
  name: Permission;
  /** The operations served here that require it, such as `GET /v1/models`. */
  operations: string[];
  /** Names of the services that have introspected a key for it. */
  services: string[];
}

/** Says where permissions matter, so that a key gets what it needs. */
@Injectable()
export class KeyPermissionsService {
  constructor(
    private readonly routes: RouteTable,
    private readonly traffic: ObservedTrafficRepository,
  ) {}

  async list(): Promise<PermissionUse[]> {
    const routes = this.routes.list().filter(({ method }) => method !== 'HEAD');
    const requested = await this.traffic.listRoutePermissions();
    return PERMISSIONS.map((name) => {
      const operations = routes.filter(({ access }) => access === name);
      const services = requested.flatMap(({ route, permission }) =>
        permission === name ? (askingService(route) ?? []) : [],
      );
      return {
        name,
        operations: operations.map(({ method, path }) => `${method} ${path}`).sort(),
        services: services.sort(),
      };
    });
  }
}
