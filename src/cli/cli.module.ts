import { AdministrationModule } from '@app/administration/administration.module';
import type { AppConfig } from '@app/config/app-config';
import { ConfigModule } from '@app/config/config.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

type CliImports = NonNullable<DynamicModule['imports']>;

/** The services that commands use, without the servers around them. */
@Module({})
class CliModule {
  static forRoot(config: AppConfig, more: CliImports): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.connect('greenroom-cli'),
        AdministrationModule,
        DatabaseModule,
        ...more,
      ],
    };
  }
}

/** Runs something with the services, and those of `more` modules; the connections are closed afterwards. */
export async function withServices<T>(
  config: AppConfig,
  run: (services: INestApplicationContext) => Promise<T>,
  more: CliImports = [],
): Promise<T> {
  const services = await NestFactory.createApplicationContext(CliModule.forRoot(config, more), {
    logger: false,
    abortOnError: false,
  });
  try {
    return await run(services);
  } finally {
    await services.close();
  }
}
