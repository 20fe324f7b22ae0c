import { ENTITIES, type Entity, separated } from "./entities.ts";

/** Everything that is not TypeScript. */
export const DOCUMENT_FILES: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "kittiwake",
  "version": "2.31.4",
  "private": true,
  "type": "module",
  "scripts": { "start": "node src/server.ts", "test": "vitest run --reporter=verbose", "lint": "tsc --noEmit", "page": "node page/build.ts" },
  "dependencies": { "pg": "8.16.0", "pino": "9.7.0" },
  "devDependencies": { "typescript": "5.9.2", "vitest": "3.2.4" }
}
`,
  "README.md": `# Kittiwake

Berths, pilots, tugs and ferries of the Lantern Coast: Saltmarrow, Tarnhaven, Hollin Quay, Skerry Point and Ulverstrand.
One service, one PostgreSQL database, one page on the wall of each harbour office.

Run it: npm start. Test it: npm test. What the words mean: docs/handbook.md. How water is reckoned: docs/tides.md.
The Japanese and Chinese pages under docs/ are written by our sister harbours and are as binding as the English ones.
`,
  "docs/tides.md": `# How water is reckoned

- The sill of a berth is given in centimetres above chart datum. A boat passes when height >= sill + draught + clearance.
- Heights between two extremes follow a half cosine. Nobody on this coast trusts the rule of twelfths.
- The feed is free of charge up to 640 pages an hour per harbour; above that it answers 429 and sulks for a quarter of an hour.
- A page of the feed covers seven days, from midnight UTC. Pages are meant to be laid edge to edge.
- Extremes are published eight weeks ahead, and corrected once, on the Tuesday before they count.
- Air pressure is not reckoned. On a low of 970 hPa expect about 40 cm more water than the table, on a high about 15 cm less.
`,
  "docs/ja/tide-gate.md": `# 潮汐ゲートの運用(潮見港)

この文書は潮見港の港務課が管理しています。英語版と内容が異なる場合は、双方の担当者が話し合って決めます。

## 開閉の基準
- ゲートは満潮の25分前に開き、潮位がしきい高を下回る前に閉じます。
- 余裕水深は船の大きさにかかわらず一定とし、現場の判断で減らすことはできません。
- 風速が毎秒十五メートルを超えるときは、曳船が二隻そろうまで入港を待ってもらいます。

## 予約
- 入港と出港の両方の時刻が潮汐の窓に入っていなければ、予約は成立しません。
- 窓の一覧は事務所の壁の画面に表示し、時刻は協定世界時と現地時刻を並べて書きます。
- 二つの予約の境目が同じ時刻になることは認めます。重なりとは数えません。

## 記録
- 潮位の記録は五年間保存します。水先人の交代は、その場で日誌に書きます。
- 灯火が消えているのを見つけた人は、まず海上保安の窓口に電話し、それから画面に入力してください。
`,
  "docs/zh/berth-rules.md": `# 泊位规则(望潮港)

本页由望潮港调度室维护,每年春汛之前复核一次。

1. 船舶吃水以船长申报值与码头实测值中较大者为准。
2. 有门槛的泊位,只有在潮窗之内才可以进出;潮窗的起点算在内,终点不算在内。
3. 淤积的泊位不接受吃水超过一百二十厘米的船舶,疏浚完成之后由测量员签字解除。
4. 候补的船舶按登记先后排列,每一份通知在一个潮次之后失效。
5. 渡轮优先于游艇,拖轮优先于渡轮,载有病人的船优先于一切。
6. 夜间值班人员听到雾号,应当立即核对灯标的状态,并且写入值班日志。
7. 屏幕上的所有时刻同时显示协调世界时与当地时间,以免误会。
`,
  "src/i18n/ja.json": translations("japanese", {
    unknown: "指定された{}が見つかりません。",
    created: "{}を登録しました。",
    changed: "{}の状態が変わりました。担当者に確認してください。",
    refused: "この{}は現在の状態では操作できません。",
    waiting: "{}の処理を待っています。しばらくお待ちください。",
    overdue: "{}の期限が過ぎています。至急ご対応をお願いします。",
  }),
  "src/i18n/zh.json": translations("chinese", {
    unknown: "找不到指定的{}。",
    created: "{}已经登记。",
    changed: "{}的状态已经改变,请与值班人员核对。",
    refused: "当前状态下不能操作该{}。",
    waiting: "正在处理{},请稍候。",
    overdue: "{}已经超过期限,请尽快处理。",
  }),
};

function translations(language: "japanese" | "chinese", phrases: Readonly<Record<string, string>>): string {
  const entries = ENTITIES.flatMap((entity: Entity) =>
    Object.entries(phrases).map(([key, phrase]) => [
      `${separated(entity.name, "-")}.${key}`,
      phrase.replace("{}", entity[language]),
    ]),
  );
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
