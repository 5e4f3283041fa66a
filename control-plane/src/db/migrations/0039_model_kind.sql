ALTER TABLE "model" ADD COLUMN "kind" text DEFAULT 'chat' NOT NULL;
--> statement-breakpoint
-- What the prices say of models that are there: those of images and seconds have no conversation, nor have those whose
-- answers cost nothing while what they read does. Admins can say otherwise.
update model set kind = case
    when price.image_usd > 0 then 'image'
    when price.second_usd > 0 then 'audio'
    else 'embedding'
  end
from (select distinct on (model) * from model_price order by model, version desc) price
where price.model = model.name
  and price.output_usd_per_m = 0
  and (price.input_usd_per_m > 0 or price.image_usd > 0 or price.second_usd > 0);
