import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { LeakReport } from './leak-report.entity';

@Injectable()
export class LeakReportRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** When the report with this digest was processed; null for a new one. */
  async findReceivedAt(digest: string): Promise<Date | null> {
    const report = await this.dataSource.manager.findOneBy(LeakReport, { digest });
    return report?.receivedAt ?? null;
  }

  /** Stores that a report was processed. The same report twice at once is one. */
  async insert(digest: string): Promise<void> {
    await this.dataSource.query('INSERT INTO leak_report (digest) VALUES ($1) ON CONFLICT DO NOTHING', [
      digest,
    ]);
  }
}
