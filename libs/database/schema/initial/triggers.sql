CREATE TRIGGER api_key_list_changed AFTER UPDATE OF allowed_ips ON api_key
  FOR EACH ROW WHEN (OLD.allowed_ips IS DISTINCT FROM NEW.allowed_ips) EXECUTE FUNCTION forget_left_entries();
CREATE TRIGGER account_forget_left_entries AFTER UPDATE OF allowed_ips ON account
  FOR EACH ROW WHEN (OLD.allowed_ips IS DISTINCT FROM NEW.allowed_ips) EXECUTE FUNCTION forget_left_entries();

CREATE TRIGGER voice_search_text BEFORE INSERT OR UPDATE OF name, description, labels ON voice
  FOR EACH ROW EXECUTE FUNCTION set_voice_search_text();

CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_head_no_removal BEFORE DELETE ON audit_head
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_head_no_truncate BEFORE TRUNCATE ON audit_head
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
