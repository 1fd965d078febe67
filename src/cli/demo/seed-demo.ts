import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import type { AppConfig } from '@app/config/app-config';
import { CreditsModule } from '@app/credits/credits.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { withServices } from '../cli.module';
import { addCustomers, addWebhook, hasDemoCustomer, markFinished, restrictKeys } from './demo-customers';
import { addTraffic, useCredits } from './demo-use';
import { addVoices } from './demo-voices';

/**
 * Adds customers with keys, traffic and credits, the first also with voices, so that every screen of the console has something
 * to show.
 *
 * @returns false, and nothing is added, when they are there already
 */
export async function seedDemo(config: AppConfig): Promise<boolean> {
  return withServices(
    config,
    async (services) => {
      if (await hasDemoCustomer(services)) return false;
      const customers = await addCustomers(services);
      const [first] = customers;
      await addWebhook(services, first);
      await addTraffic(services, customers);
      await useCredits(services, customers, config.requireMigrationDatabaseUrl());
      await restrictKeys(services, first);
      await addVoices(services, first.accountId);
      await markFinished(services, first.accountId);
      return true;
    },
    [AudioStoreModule, CreditsModule, OutboxModule],
  );
}
