/** How models begin when they decline or have nothing to say; in lower case, with straight apostrophes. */
export const REFUSAL_PHRASES: readonly string[] = [
  ...["i'm sorry", "i am sorry", "sorry, ", "sorry but", "my apologies", "i apologize", "i apologise", "as an ai"],
  ...["i cannot", "i can't", "i can not", "i am unable", "i'm unable", "i am not able", "i'm not able", "i won't"],
  ...["unfortunately, i", "i don't have enough", "i don't have access", "i don't see any", "please provide"],
  ...["there is no conversation", "there's no conversation", "no conversation", "as a language model"],
  ...["es tut mir leid", "leider kann ich", "ich kann das nicht", "ich kann diese", "entschuldigung"],
  ...["je suis désolé", "désolé", "je ne peux pas", "malheureusement, je", "lo siento", "no puedo", "desculpe"],
  ...["não posso", "sinto muito", "mi dispiace", "non posso", "het spijt me", "ik kan niet", "przykro mi"],
  ...["извините", "простите", "к сожалению, я", "я не могу", "抱歉", "很抱歉", "非常抱歉", "对不起", "對不起"],
  ...["我无法", "我無法", "我不能", "申し訳", "すみません", "ごめんなさい", "죄송"],
];
