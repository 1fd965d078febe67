CREATE TABLE api_process (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE worker_process (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  concurrency integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  waiting integer NOT NULL DEFAULT 0,
  idle_ms integer NOT NULL DEFAULT 0,
  is_stuck boolean NOT NULL DEFAULT false,
  -- Since when it finishes what it has and takes nothing new, and which member of staff says so.
  quiet_since timestamptz,
  quiet_by text,
  quiet_reason text
) WITH (fillfactor = 50);

-- When workers started, with which release.
CREATE TABLE worker_start (
  worker_id uuid PRIMARY KEY,
  name text NOT NULL,
  release text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX worker_start_at_idx ON worker_start (at);

-- Processes of the api, and how much they have served.
CREATE TABLE api_load (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  requests bigint NOT NULL,
  refusals bigint NOT NULL,
  requests_per_sec real NOT NULL,
  refusals_per_sec real NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- What the timers of each worker have done, and what staff order of them.
CREATE TABLE timer_run (
  worker_id uuid NOT NULL,
  name text NOT NULL,
  worker text NOT NULL,
  every_ms integer NOT NULL,
  runs bigint NOT NULL,
  failures bigint NOT NULL,
  began_at timestamptz NOT NULL,
  ended_at timestamptz,
  took_ms real,
  did jsonb,
  did_at timestamptz,
  error text,
  failed_at timestamptz,
  next_at timestamptz,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (name, worker_id)
);

CREATE TABLE timer_order (
  name text PRIMARY KEY,
  paused_until timestamptz,
  paused_by text,
  pause_reason text,
  run_requested_at timestamptz
);

-- Pauses of queues survive the loss of their backend.
CREATE TABLE queue_order (
  queue text PRIMARY KEY,
  is_paused boolean,
  ordered_by text,
  reason text,
  ordered_at timestamptz NOT NULL DEFAULT now()
);

-- The functions and views that the migrator has applied from libs/database/schema/sql, with the digest of each file then.
CREATE TABLE sql_definition (
  name text PRIMARY KEY,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
