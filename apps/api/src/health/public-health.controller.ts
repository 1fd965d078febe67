import { DomainError } from '@app/domain/errors';
import { Controller, Get } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PublicRoute } from '../http/route-access';

@Controller()
export class PublicHealthController {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The process is alive. */
  @Get('healthz')
  @PublicRoute()
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The process can serve: its database answers. */
  @Get('readyz')
  @PublicRoute()
  async ready(): Promise<{ status: 'ready' }> {
    try {
      await this.dataSource.query('SELECT 1');
    } catch (cause) {
      throw new DomainError('service_unavailable', {}, { cause });
    }
    return { status: 'ready' };
  }
}
