import { Entity, PrimaryColumn } from 'typeorm';

/** That an account's event about a share of its credits, or a key's, was sent in a billing period: it is sent once. */
@Entity('webhook_quota_notice')
export class WebhookQuotaNotice {
  /** Id of the account or of the key. */
  @PrimaryColumn('uuid')
  subjectId: string;

  @PrimaryColumn('timestamptz')
  periodStart: Date;

  @PrimaryColumn('int')
  threshold: number;
}
