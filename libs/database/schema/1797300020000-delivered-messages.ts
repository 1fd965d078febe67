import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The alert log has the state of a webhook's delivery itself: deliveries are kept for a shorter time. */
export class DeliveredMessages1797300020000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX alert_message_delivery_idx ON alert_message (delivery_id) WHERE delivery_id IS NOT NULL;
      UPDATE alert_message m SET state = d.state, delivered_at = d.delivered_at
      FROM webhook_delivery d WHERE d.id = m.delivery_id;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX alert_message_delivery_idx');
  }
}
