-- A world of keys of every kind, for the findings about them: :accounts accounts, :keys keys, a year of charges, and traffic of
-- :hours hours of each of the last :days days. Traffic is kept for 30 days; what is older must count for nothing. The same on
-- every run, but for the time.

CREATE FUNCTION pg_temp.roll(n bigint, what text, sides int) RETURNS int LANGUAGE sql IMMUTABLE
  AS $$ SELECT (('x' || substr(md5(n || what), 1, 7))::bit(28)::int) % sides $$;

INSERT INTO route_permission (route, permission) VALUES
  ('GET /v1/models', 'models_read'), ('GET /v1/voices', 'voices_read'), ('POST /v1/text-to-speech/:voice_id', 'text_to_speech'),
  ('DELETE /v1/voices/:voice_id', 'voices_write'), ('GET /v1/user', 'user_read'), ('GET /v1/history', 'speech_history_read'),
  ('POST /v1/text-to-voice/design', 'voice_generation'), ('GET /v1/service-accounts', NULL)
ON CONFLICT (route) DO NOTHING;

INSERT INTO account (id, name, tier, status, voice_limit, concurrency_limit, created_at)
SELECT md5('account ' || n)::uuid, 'Account ' || n, (ARRAY['free', 'pro', 'scale', 'enterprise'])[1 + pg_temp.roll(n, 'tier', 4)],
  CASE pg_temp.roll(n, 'status', 20) WHEN 0 THEN 'suspended' WHEN 1 THEN 'closed' ELSE 'active' END, 100, 10,
  now() - (20 + pg_temp.roll(n, 'age', 600)) * interval '1 day'
FROM generate_series(1, :accounts) n;

-- A tier with a policy, and an account of it with one of its own that demands less.
INSERT INTO key_policy (id, tier, account_id, max_lifetime_days, rotation_age_days, permissions, allow_list_required, updated_at)
VALUES (gen_random_uuid(), 'scale', NULL, 200, 180, '{models_read,user_read}', true, now());
INSERT INTO key_policy (id, tier, account_id, rotation_age_days, updated_at)
SELECT gen_random_uuid(), NULL, id, 300, now() FROM account WHERE tier = 'scale' ORDER BY id LIMIT 1;

INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
SELECT id, 'account', id, 1000000, 0, created_at, date_trunc('month', now()), date_trunc('month', now()) + interval '1 month'
FROM account;

CREATE TEMP TABLE plan AS
SELECT n, md5('key ' || n)::uuid AS id, md5('account ' || 1 + pg_temp.roll(n, 'account', :accounts))::uuid AS account_id,
  now() - (5 + pg_temp.roll(n, 'age', 700)) * interval '1 day' AS created_at,
  pg_temp.roll(n, 'use', 10) < 6 AS is_used, 1 + (pg_temp.roll(n, 'addresses', 64) ^ 3 / 4000)::int AS addresses,
  1 + pg_temp.roll(n, 'routes', 8) AS routes
FROM generate_series(1, :keys) n;

INSERT INTO api_key (id, account_id, name, permissions, allowed_ips, expires_at, disable_reason, deleted_at, created_at)
SELECT id, account_id, 'Key ' || n,
  CASE WHEN pg_temp.roll(n, 'permissions', 2) = 0 THEN ARRAY['models_read', 'voices_read'] END,
  CASE pg_temp.roll(n, 'list', 8) WHEN 0 THEN ARRAY['10.0.0.0/8'] WHEN 1 THEN ARRAY['10.1.2.0/24', '2001:db8::/64']
    WHEN 2 THEN ARRAY['10.1.0.0/20'] WHEN 3 THEN ARRAY['2001:db8::/48'] WHEN 4 THEN ARRAY['not an address'] END,
  CASE pg_temp.roll(n, 'expiry', 4) WHEN 0 THEN now() + (1 + pg_temp.roll(n, 'days', 300)) * interval '1 day'
    WHEN 1 THEN CASE WHEN pg_temp.roll(n, 'expired', 8) = 0 THEN now() - interval '1 day' END END,
  CASE WHEN pg_temp.roll(n, 'disabled', 15) = 0 THEN 'unused' END,
  CASE WHEN pg_temp.roll(n, 'deleted', 30) = 0 THEN now() END, created_at
FROM plan;

INSERT INTO api_key_secret (digest, key_id, hint, number, created_at, retires_at, last_used_at)
SELECT md5('old ' || n), id, 'grk_…' || right(id::text, 4), 1, created_at,
  CASE WHEN pg_temp.roll(n, 'rotated', 5) = 0 THEN now() + (pg_temp.roll(n, 'overlap', 20) - 10) * interval '1 day' END,
  CASE WHEN is_used THEN now() - pg_temp.roll(n, 'old use', 40) * interval '1 hour' END
FROM plan;
INSERT INTO api_key_secret (digest, key_id, hint, number, created_at, last_used_at)
SELECT md5('new ' || n), id, 'grk_…' || right(id::text, 4), 2, now() - interval '3 days',
  CASE WHEN is_used AND pg_temp.roll(n, 'switched', 2) = 0 THEN now() - pg_temp.roll(n, 'new use', 40) * interval '1 hour' END
FROM plan WHERE pg_temp.roll(n, 'rotated', 5) = 0;

-- Accounts whose keys have all been left alone, and single keys.
INSERT INTO api_key_use (key_id, last_used_at)
SELECT id, CASE WHEN is_used AND pg_temp.roll(('x' || substr(account_id::text, 1, 7))::bit(28)::int, 'idle', 12) > 0
    THEN now() - pg_temp.roll(n, 'last use', 200) * interval '1 day' END
FROM plan;

-- Pages have sent some of their secrets, lately or longer ago than is looked at.
UPDATE api_key_use SET browser_origin = 'https://shop.example', browser_at = now() - (hashtext(key_id::text) & 63) * interval '1 day'
WHERE hashtext(key_id::text) % 10 = 0;

INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
SELECT id, 'key', account_id, CASE WHEN pg_temp.roll(n, 'limit', 3) > 0 THEN 1000 * pg_temp.roll(n, 'credits', 100) END, 0,
  created_at, date_trunc('month', now()), date_trunc('month', now()) + interval '1 month'
FROM plan;

INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
SELECT p.id, h.hour, r.route,
  CASE WHEN pg_temp.roll(p.n, 'family', 4) = 0 THEN '2001:db8:0:' || to_hex(a.number) || '::' || to_hex(1 + h.turn) ELSE '10.1.' || a.number || '.' || 7 END,
  CASE h.turn % 16 WHEN 5 THEN 'scope' WHEN 6 THEN 'rejected' WHEN 7 THEN 'ip' ELSE 'served' END,
  1 + pg_temp.roll(p.n + h.turn, 'requests', 200), h.hour, h.hour + interval '59 minutes'
FROM plan p
  CROSS JOIN LATERAL (
    SELECT d * :hours + o AS turn, date_trunc('hour', now()) - d * interval '1 day' - o * interval '1 hour' AS hour
    FROM generate_series(0, :days - 1) d, generate_series(0, :hours - 1) o
  ) h
  CROSS JOIN LATERAL (SELECT h.turn % p.addresses AS number) a
  CROSS JOIN LATERAL (
    SELECT (ARRAY['GET /v1/models', 'GET /v1/voices', 'POST /v1/text-to-speech/:voice_id', 'DELETE /v1/voices/:voice_id', 'GET /v1/user',
      'GET /v1/history', 'POST /v1/text-to-voice/design', 'GET /v1/service-accounts'])[1 + (p.n + h.turn) % p.routes] AS route
  ) r
WHERE p.is_used;
INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
SELECT id, date_trunc('hour', now()), 'GET /v1/unheard-of', '10.1.0.7', 'served', 1, now(), now()
FROM plan WHERE is_used AND pg_temp.roll(n, 'unknown route', 40) = 0;

SELECT write_ledger_line(p.account_id, p.id, NULL, date_trunc('month', m.at), 'charge',
  1 + pg_temp.roll(p.n + m.month, 'amount', 5000), 'text_to_speech', 'req_' || p.n || '_' || m.month, NULL, m.at)
FROM plan p CROSS JOIN LATERAL (
  SELECT month, now() - month * interval '1 month' - pg_temp.roll(p.n + month, 'day', 25) * interval '1 day' AS at
  FROM generate_series(0, 11) month
) m WHERE p.is_used AND m.at > p.created_at;

INSERT INTO key_finding_acceptance (key_id, kind, reason, accepted_by, accepted_at, until)
SELECT id, (ARRAY['idle', 'never_expires', 'no_credit_limit', 'many_addresses'])[1 + n % 4], 'Agreed with the customer',
  'manager@example.com', now(), now() + CASE WHEN n % 3 = 0 THEN interval '-1 day' ELSE interval '30 days' END
FROM plan WHERE pg_temp.roll(n, 'accepted', 9) = 0;
