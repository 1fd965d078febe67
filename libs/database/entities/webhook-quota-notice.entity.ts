import { Entity, PrimaryColumn } from 'typeorm';

/** That an account was told of a share of its credits in a billing period: it is told once. */
@Entity('webhook_quota_notice')
export class WebhookQuotaNotice {
  @PrimaryColumn('uuid')
  accountId: string;

  @PrimaryColumn('timestamptz')
  periodStart: Date;

  @PrimaryColumn('int')
  threshold: number;
}
