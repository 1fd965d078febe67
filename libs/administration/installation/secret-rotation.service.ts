import { ContactSecrets } from '@app/alerts/contact-secrets';
import { SealedTextRepository } from '@app/database/common/sealed-text.repository';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { AuditLog } from '../audit/audit-log';

/** What was sealed again, and which keys the audit log is verified with. */
export interface SecretRotation {
  webhookSecrets: number;
  contactUrls: number;
  auditKeyId: string;
  earlierAuditKeyIds: string[];
}

/** The installation's secret was replaced: what is stored under the one before it is stored under the present one. */
@Injectable()
export class SecretRotationService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly auditLog: AuditLog,
    private readonly sealed: SealedTextRepository,
    private readonly webhooks: WebhookSecrets,
    private readonly contacts: ContactSecrets,
  ) {}

  /**
   * All of it, or nothing; again, it changes nothing more.
   *
   * @throws when something was sealed with neither secret
   */
  async rotate(actor: AuditActor): Promise<SecretRotation> {
    const { result } = await this.changes.make(async (em) => {
      const webhookSecrets = await this.sealed.replaceAll('webhook_endpoint', em, (id, text) =>
        this.webhooks.seal(id, this.webhooks.open(id, text)),
      );
      const contactUrls = await this.sealed.replaceAll('contact', em, (id, text) =>
        this.contacts.seal(id, this.contacts.openUrl(id, text)),
      );
      const { keyId, earlier } = await this.auditLog.keepEarlierKeys(em);
      const counts = { webhookSecrets, contactUrls };
      const after = { audit_key_id: keyId, webhook_secrets: webhookSecrets, contact_urls: contactUrls };
      const target = { type: 'installation', id: 'app_secret' };
      return {
        result: { ...counts, auditKeyId: keyId, earlierAuditKeyIds: earlier },
        events: [{ actor, action: 'secret.rotated', target, before: { audit_key_ids: earlier }, after }],
      };
    });
    return result;
  }
}
