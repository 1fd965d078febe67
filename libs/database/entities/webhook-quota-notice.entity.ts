import { Entity, PrimaryColumn } from 'typeorm';

/** That an account was told of a share of its credits, or of those of a key, in a billing period: it is told once. */
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
