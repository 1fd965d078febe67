import type { AppConfig } from '@app/config/app-config';
import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { StaffService, type WithPassword } from '../../libs/administration/staff/staff.service';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

interface StaffOptions {
  email: string;
  role: StaffRole;
  name?: string;
}

/** `greenroom staff add`: adds a member of staff and shows their one-time password. */
export async function addStaff(config: AppConfig, options: StaffOptions): Promise<void> {
  process.stdout.write(describe(await withDatabase(config, (ready) => add(ready, options))));
}

async function add(config: AppConfig, options: StaffOptions): Promise<WithPassword> {
  const reason = 'Added on the command line';
  try {
    return await withServices(config, (services) =>
      services.get(StaffService).add(byCommandLine(), { ...options, reason }),
    );
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new Error(`--${error.problems[0]?.path[0]}: ${error.problems[0]?.msg}.`, { cause: error });
  }
}

/** `greenroom staff emergency`: a password that signs a member in for an hour, also where passwords are off. */
export async function giveEmergencyPassword(
  config: AppConfig,
  { email, reason }: { email: string; reason: string },
): Promise<void> {
  const request = { actor: byCommandLine(), expected: 'any', reason } as const;
  const issued = await withDatabase(config, (ready) =>
    withServices(ready, (services) => services.get(StaffService).giveEmergencyPassword(email, request)),
  );
  process.stdout.write(describe(issued));
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
