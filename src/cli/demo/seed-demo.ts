import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import type { AppConfig } from '@app/config/app-config';
import { CreditsModule } from '@app/credits/credits.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { withServices } from '../cli.module';
import { addDemoCustomer, hasDemoCustomer, markFinished, restrictKeys } from './demo-customer';
import { addTraffic, useCredits } from './demo-use';
import { addVoices } from './demo-voices';

/**
 * Adds a customer with keys, traffic, credits and voices, so that every screen of the console has something to show.
 *
 * @returns false, and nothing is added, when the customer is there already
 */
export async function seedDemo(config: AppConfig): Promise<boolean> {
  return withServices(
    config,
    async (services) => {
      if (await hasDemoCustomer(services)) return false;
      const customer = await addDemoCustomer(services);
      await addTraffic(services, customer);
      await useCredits(services, customer, config.requireMigrationDatabaseUrl());
      await restrictKeys(services, customer);
      await addVoices(services, customer.accountId);
      await markFinished(services, customer.accountId);
      return true;
    },
    [AudioStoreModule, CreditsModule, OutboxModule],
  );
}
