import { Alerts } from '@app/alerts/alerts';
import { AppConfig } from '@app/config/app-config';
import { AlertWatchRepository, type FirstUse } from '@app/database/alerts/alert-watch.repository';
import { countryOf, parseCountryTable, type CountryTable } from '@app/domain/addresses/country-table';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { readFile, stat } from 'node:fs/promises';
import { DataSource } from 'typeorm';
import { ended, type Round } from '../loop';

/** Sees from which countries keys are used for the first time, by the table that the operator has put there. */
@Injectable()
export class CountryWatch {
  private loaded: { table: CountryTable; changedMs: number } | null = null;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly watch: AlertWatchRepository,
    private readonly alerts: Alerts,
  ) {}

  /** Several workers notify of each country of a key once. Without a table nothing is looked at. */
  async check(): Promise<Round> {
    const { countryTablePath: path } = this.config;
    if (path === undefined) return 'idle';
    const table = await this.load(path);
    const noticed = await this.dataSource.transaction(async (em) => {
      const uses = await this.watch.listFirstUses(em);
      const found = uses.flatMap((use) => {
        const country = newCountry(table, use);
        return country === null ? [] : [{ use, country }];
      });
      const notices = found.map(({ use: { accountId, keyId, address, at }, country }) => ({
        kind: 'new_country' as const,
        accountId,
        keyId,
        subject: `${keyId} ${country}`,
        period: 'always',
        data: { country, address, at: at.toISOString() },
      }));
      if (notices.length > 0) await this.alerts.noticeAll(em, notices);
      return notices.length;
    });
    return ended('idle', { 'first use': noticed });
  }

  /** A table that is replaced is read again. */
  private async load(path: string): Promise<CountryTable> {
    try {
      const { mtimeMs } = await stat(path);
      if (this.loaded?.changedMs !== mtimeMs)
        this.loaded = { table: parseCountryTable(await readFile(path, 'utf8')), changedMs: mtimeMs };
      return this.loaded.table;
    } catch (error) {
      throw new Error(`COUNTRY_TABLE_PATH: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** The country of a use, if no earlier one is known to be from there; null else, and for one that is not known. */
function newCountry(table: CountryTable, { address, former }: FirstUse): string | null {
  const of = (text: string) => {
    const parsed = parseIpAddress(text);
    return parsed && countryOf(table, parsed);
  };
  const country = of(address);
  return country === null || former.some((each) => of(each) === country) ? null : country;
}
