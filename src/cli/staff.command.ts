import type { AppConfig } from '@app/config/app-config';
import { createDataSource } from '@app/database/data-source';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import type { StaffRole } from '@app/domain/staff/staff-permissions';
import type { DataSource } from 'typeorm';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { StaffService, type WithPassword } from '../../libs/administration/staff/staff.service';
import { withDatabase } from './with-database';

interface StaffOptions {
  email: string;
  role: StaffRole;
  name?: string;
}

/** The service without a server around it. */
export function staffServiceFor(config: AppConfig, dataSource: DataSource): StaffService {
  const auditLog = new AuditLog(new AuditLogRepository(dataSource), config);
  return new StaffService(dataSource, new StaffRepository(dataSource), auditLog);
}

/** `greenroom staff add`: adds a member of staff and shows their one-time password. */
export async function addStaff(config: AppConfig, options: StaffOptions): Promise<void> {
  process.stdout.write(describe(await withDatabase(config, (ready) => add(ready, options))));
}

async function add(config: AppConfig, options: StaffOptions): Promise<WithPassword> {
  const dataSource = await createDataSource(config.requireDatabaseUrl(), 'greenroom-cli').initialize();
  try {
    const reason = 'Added on the command line';
    return await staffServiceFor(config, dataSource).add(bySystem('cli'), { ...options, reason });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new Error(`--${error.problems[0]?.path[0]}: ${error.problems[0]?.msg}.`, { cause: error });
  } finally {
    await dataSource.destroy();
  }
}

function describe({ member, password }: WithPassword): string {
  const rows = {
    'e-mail': member.email,
    password: `${password} (shown this once; must be changed at the first sign-in)`,
    until: member.oneTimePasswordUntil?.toISOString() ?? 'it is changed',
    role: member.role,
    'staff id': member.id,
  };
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(12)}${value}\n`)
    .join('');
}
