import { AppConfig } from '@app/config/app-config';
import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { proveSession } from './common/session-proof';
import { dataSourceOptions } from './data-source';
import { ListReader } from './list-reader';
import { REPOSITORIES } from './repositories';

/** Every repository. The root module of a process imports `DatabaseModule.connect` once. */
@Module({ providers: [...REPOSITORIES, ListReader], exports: [...REPOSITORIES, ListReader] })
export class DatabaseModule {
  /** The connection pool that the repositories of the process share. */
  static connect(applicationName: string): DynamicModule {
    return TypeOrmModule.forRootAsync({
      inject: [AppConfig],
      useFactory: async (config: AppConfig) => {
        const databaseUrl = config.requireDatabaseUrl();
        await proveSession(databaseUrl);
        return { ...dataSourceOptions(databaseUrl, { applicationName }), retryAttempts: 0 };
      },
    });
  }
}
