CREATE TABLE webhook_endpoint (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  sealed_secret text NOT NULL,
  secret_hint text NOT NULL,
  disabled_at timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('staff', 'customer', 'failing', 'gone')),
  failing_since timestamptz,
  last_error text,
  last_success_at timestamptz,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The name of the file of keys that manages it.
  managed_by text
);
CREATE INDEX webhook_endpoint_account_idx ON webhook_endpoint (account_id, created_at);
CREATE INDEX webhook_endpoint_managed_idx ON webhook_endpoint (managed_by, account_id) WHERE managed_by IS NOT NULL;

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
CREATE INDEX webhook_attempt_at_idx ON webhook_attempt (at);
