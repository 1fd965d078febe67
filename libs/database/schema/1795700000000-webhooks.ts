import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where accounts want to be told of events, and what was sent. */
export class Webhooks1795700000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE webhook_quota_notice, webhook_attempt, webhook_delivery, webhook_endpoint;
      DELETE FROM outbox WHERE voice_id IS NULL;
      ALTER TABLE outbox ALTER COLUMN voice_id SET NOT NULL;
    `);
  }
}

const TABLES = `
-- A message that is not about a voice.
ALTER TABLE outbox ALTER COLUMN voice_id DROP NOT NULL;

CREATE TABLE webhook_endpoint (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  sealed_secret text NOT NULL,
  secret_hint text NOT NULL,
  disabled_at timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('staff', 'customer', 'failing')),
  failing_since timestamptz,
  last_error text,
  last_success_at timestamptz,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_endpoint_account_idx ON webhook_endpoint (account_id, created_at);

CREATE TABLE webhook_delivery (
  id bigserial PRIMARY KEY,
  endpoint_id uuid NOT NULL CONSTRAINT webhook_delivery_endpoint_fk REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  body text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  dispatch integer NOT NULL DEFAULT 1,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz
);
CREATE INDEX webhook_delivery_endpoint_idx ON webhook_delivery (endpoint_id, id);
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (due_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_done_idx ON webhook_delivery (created_at) WHERE state <> 'pending';

CREATE TABLE webhook_attempt (
  id bigserial PRIMARY KEY,
  delivery_id bigint NOT NULL CONSTRAINT webhook_attempt_delivery_fk REFERENCES webhook_delivery (id) ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT now(),
  status integer,
  ms integer NOT NULL,
  error text,
  answer text
);
CREATE INDEX webhook_attempt_delivery_idx ON webhook_attempt (delivery_id, id);

CREATE TABLE webhook_quota_notice (
  account_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  threshold integer NOT NULL,
  PRIMARY KEY (account_id, period_start, threshold)
);
`;
