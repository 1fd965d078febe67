import { LeakReportRepository } from '@app/database/keys/leak-report.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { ExposedSecrets } from './exposed-secrets';
import { describePlace, readReports, type LeakReport, type LeakVerdict } from './leak-report';
import { ScannerKeys } from './scanner-keys';

/** A report as it was received. */
interface SignedReport {
  bytes: Buffer | undefined;
  keyId: string | undefined;
  signature: string | undefined;
}

/** Takes reports of a secret scanner, each once. */
@Injectable()
export class LeakedKeysService {
  private readonly logger = new Logger(LeakedKeysService.name);

  constructor(
    private readonly scannerKeys: ScannerKeys,
    private readonly reports: LeakReportRepository,
    private readonly exposed: ExposedSecrets,
  ) {}

  /**
   * Disables what the findings of a report open and says of each whether we issued the secret. Every
   * finding is processed, regardless of the outcome of the others.
   *
   * @throws DomainError unless the scanner has signed the report and it is a new one; `service_unavailable` when a finding
   *   could not be processed: the report may be sent again then
   */
  async receive({ bytes, keyId = '', signature = '' }: SignedReport, body: unknown): Promise<LeakVerdict[]> {
    if (!bytes || !(await this.scannerKeys.isSigned(bytes, { keyId, signature })))
      throw new DomainError('report_not_signed');
    // Of the body, because another valid signature can be computed from one of ECDSA without its key.
    const digest = createHash('sha256').update(bytes).digest('hex');
    await this.refuseRepeated(digest);
    const reports = readReports(body);
    const verdicts: LeakVerdict[] = [];
    for (const report of reports) verdicts.push(...(await this.evaluate(report)));
    if (verdicts.length < reports.length) throw new DomainError('service_unavailable');
    await this.reports.insert(digest);
    return verdicts;
  }

  /** A key that staff have enabled again stays enabled, even if the report is sent again. */
  private async refuseRepeated(digest: string): Promise<void> {
    const receivedAt = await this.reports.findReceivedAt(digest);
    if (receivedAt) throw new DomainError('report_repeated', { receivedAt: receivedAt.toISOString() });
  }

  /** The verdict; none when it cannot be known now. */
  private async evaluate(report: LeakReport): Promise<LeakVerdict[]> {
    const { token, type } = report;
    try {
      const isOurs = await this.exposed.disable(token, describePlace(report));
      return [{ token_raw: token, token_type: type, label: isOurs ? 'true_positive' : 'false_positive' }];
    } catch (error) {
      this.logger.error(`A finding could not be processed: ${(error as Error).message}`);
      return [];
    }
  }
}
