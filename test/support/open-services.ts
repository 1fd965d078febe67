import type { INestApplicationContext } from '@nestjs/common';
import type { AppConfig } from '../../libs/config/app-config';
import { withServices } from '../../src/cli/cli.module';

/** What commands of the command line work with, until `close`. */
export async function openServices(
  config: AppConfig,
): Promise<{ services: INestApplicationContext; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const done = withServices(config, async (services) => {
      await new Promise<void>((stop) => {
        const close = async () => {
          stop();
          await done;
        };
        resolve({ services, close });
      });
    });
    done.catch(reject);
  });
}
