// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {BoxKinds} from "./BoxKinds.sol";

/// @title Boxes that are bought closed, and opened to the tier their id and the pepper decide
/// @notice A box's tier is the first whose cumulative bps exceed keccak256(abi.encode(boxId, pepper)) mod
/// 10000. The pepper's sha256 is on chain before the first sale of its batch. While boxes are sold the
/// house alone knows the pepper and signs what a box opens to; at the end it is published, and who still
/// has a closed box needs no signature. Prices are in wei, prizes in the reward token's smallest unit.
///
/// Trust: until the pepper is published the contract cannot tell a wrong tier, so a rogue signer can open
/// boxes to any tier of their kind, the top one or the lowest. The published pepper proves it to everybody,
/// but takes nothing back. A house that neither signs nor publishes leaves boxes closed. The owner can add
/// a kind at any price and prize, and so, with the signer, pay out all that is there for awards.
///
/// Who knows the pepper knows a box's tier as soon as its id is known, so the id is drawn in the block of
/// the sale. That is not out of reach: prevrandao and the previous block's hash are known seconds before.
/// Who knows the pepper and is quick can work out then what accounts of their own would draw, and buy for
/// the lucky ones. A block builder can do so surely, as can anybody whose bundle a builder takes whole or
/// not at all; a builder can also keep a player's lucky purchase out of a block. Where one sequencer makes
/// the blocks, it is that builder. All of this needs the pepper: it is to be guarded like a key.
contract BoxNft is ERC721, BoxKinds, EIP712 {
    using EnumerableSet for EnumerableSet.UintSet;

    struct Batch {
        bytes32 pepperHash;
        /// Zero until the batch has ended.
        bytes32 pepper;
        /// Block numbers; `stoppedAt` is zero while boxes are sold.
        uint64 openedAt;
        uint64 stoppedAt;
        bool isEnded;
    }

    struct Sold {
        uint8 kind;
        uint8 tier;
        bool isOpened;
        uint64 batch;
    }

    /// @notice A box as the views show it. Tier and prize are zero until it is opened.
    struct Box {
        uint256 boxId;
        address owner;
        uint256 kind;
        uint256 batch;
        bool isOpened;
        uint256 tier;
        uint256 prize;
        bytes32 nonce;
    }

    bytes32 public constant OPEN_TYPEHASH = keccak256("Open(uint256 boxId,uint256 tier,uint256 prize,bytes32 nonce)");
    uint256 public constant MAX_PAGE = 100;

    /// @notice Who signs what boxes open to.
    address public signer;

    /// @notice The number of the latest batch; the first is 1.
    uint256 public batchCount;
    mapping(uint256 number => Batch) public batches;
    mapping(bytes32 pepperHash => bool) public isHashUsed;

    mapping(address wallet => uint256) public boughtBy;
    mapping(address wallet => uint256) public openedBy;

    /// @notice The most that all boxes sold so far win: an opened one its prize, a closed one the top prize.
    uint256 public prizesPromised;

    mapping(uint256 boxId => Sold) private _sold;
    mapping(address owner => EnumerableSet.UintSet) private _owned;

    event Bought(uint256 indexed boxId, address indexed buyer, uint256 kind, uint256 batch);
    event Opened(uint256 indexed boxId, uint256 tier, uint256 prize, bytes32 nonce);
    event BatchOpened(uint256 indexed batch, bytes32 pepperHash);
    event BatchStopped(uint256 indexed batch);
    event BatchEnded(uint256 indexed batch, bytes32 pepper);
    event SignerChanged(address signer);
    event ProceedsWithdrawn(address indexed to, uint256 amount);

    error ZeroAddress();
    error NotForSale(uint256 kind);
    error NoSale();
    error WrongHash();
    error BatchNotEnded(uint256 batch);
    error BatchNotStopped(uint256 batch);
    error WrongPepper();
    error NotPlainAccount();
    error WrongPrice(uint256 expected);
    error WrongSignature();
    error WrongNonce(bytes32 expected);
    error WrongPrize(uint256 expected);
    error WrongTier();
    error AlreadyOpened(uint256 boxId);
    error StillClosed(uint256 boxId);
    error PageTooLong();
    error NeedsOwner();

    constructor(address owner_, address signer_)
        ERC721("Fairhouse Box", "FHB")
        Ownable(owner_)
        EIP712("FairhouseBox", "1")
    {
        _setSigner(signer_);
    }

    /// @notice Sells one box of `kind` to the caller, for its exact price.
    /// @dev A contract could undo a purchase whose id draws a bad tier, if it were told the pepper. So
    /// buyers are accounts that run no code: no contract, nor one in its constructor (which has no code yet,
    /// but is not the origin), nor an account that EIP-7702 gives code (which is the origin). The serial
    /// number is the buyer's own: with a common one, somebody else's purchase just before would change
    /// the draw. `_mint` calls nobody.
    function buy(uint256 kind) external payable returns (uint256 boxId) {
        require(msg.sender == tx.origin && msg.sender.code.length == 0, NotPlainAccount());
        Kind storage k = _kind(kind);
        Batch storage batch = batches[batchCount];
        // Not in the block that opened the batch: its draws were known when the pepper was chosen.
        require(batch.openedAt != 0 && block.number > batch.openedAt && batch.stoppedAt == 0, NoSale());
        require(k.isForSale, NotForSale(kind));
        require(msg.value == k.price, WrongPrice(k.price));
        bytes32 parent = blockhash(block.number - 1);
        uint256 serial = boughtBy[msg.sender]++;
        boxId = uint256(keccak256(abi.encode(block.prevrandao, parent, msg.sender, serial, address(this))));
        _sold[boxId] = Sold({kind: uint8(kind), tier: 0, isOpened: false, batch: uint64(batchCount)});
        prizesPromised += k.topPrize;
        _mint(msg.sender, boxId);
        emit Bought(boxId, msg.sender, kind, batchCount);
    }

    /// @notice Opens a box to what the house has signed. Anybody may, it changes nothing for its owner.
    /// Once the pepper is published the house's word no longer counts against it.
    function open(uint256 boxId, uint256 tier, uint256 prize, bytes32 nonce, bytes calldata signature) external {
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(OPEN_TYPEHASH, boxId, tier, prize, nonce)));
        (address by,,) = ECDSA.tryRecoverCalldata(digest, signature);
        require(by == signer, WrongSignature());
        require(nonce == nonceOf(boxId), WrongNonce(nonceOf(boxId)));
        require(!batches[_sold[boxId].batch].isEnded || tier == tierOf(boxId), WrongTier());
        uint256 expected = _open(boxId, tier);
        require(prize == expected, WrongPrize(expected));
    }

    /// @notice Opens a box of a batch whose pepper is published, without the house. Anybody may.
    function openPublished(uint256 boxId) external {
        _open(boxId, tierOf(boxId));
    }

    /// @notice Opens the next batch, sold from the next block on, with the sha256 of a new pepper.
    function openBatch(bytes32 pepperHash) external onlyOwner returns (uint256 number) {
        require(batchCount == 0 || batches[batchCount].isEnded, BatchNotEnded(batchCount));
        require(pepperHash != 0 && !isHashUsed[pepperHash], WrongHash());
        isHashUsed[pepperHash] = true;
        number = ++batchCount;
        Batch storage batch = batches[number];
        (batch.pepperHash, batch.openedAt) = (pepperHash, uint64(block.number));
        emit BatchOpened(number, pepperHash);
    }

    /// @notice Ends the sale of the current batch for good, so that its pepper can be published.
    function stopBatch() external onlyOwner {
        Batch storage batch = batches[batchCount];
        require(batch.openedAt != 0 && batch.stoppedAt == 0, NoSale());
        batch.stoppedAt = uint64(block.number);
        emit BatchStopped(batchCount);
    }

    /// @notice Publishes the pepper of the current batch. Anybody who knows it may.
    /// @dev Not before a block after the sale's end: whoever sees the pepper in a pending transaction
    /// could get in ahead of it with purchases.
    function endBatch(bytes32 pepper) external {
        Batch storage batch = batches[batchCount];
        require(batch.stoppedAt != 0 && block.number > batch.stoppedAt && !batch.isEnded, BatchNotStopped(batchCount));
        require(sha256(abi.encode(pepper)) == batch.pepperHash, WrongPepper());
        (batch.pepper, batch.isEnded) = (pepper, true);
        emit BatchEnded(batchCount, pepper);
    }

    /// @notice Names another signer, at once: a key that is out has to stop. What the former signed and
    /// nobody has submitted yet is void, and has to be signed again.
    function setSigner(address signer_) external onlyOwner {
        _setSigner(signer_);
    }

    /// @notice Pays out of what boxes were sold for. All of it is the house's: prizes are other tokens.
    function withdrawProceeds(address payable to, uint256 amount) external onlyOwner {
        require(to != address(0), ZeroAddress());
        emit ProceedsWithdrawn(to, amount);
        Address.sendValue(to, amount);
    }

    /// @notice Nobody could end a batch or take the proceeds any more, so there is always an owner.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @notice What the opening of a box is known by: one for each box, so none is good for two.
    function nonceOf(uint256 boxId) public pure returns (bytes32) {
        return keccak256(abi.encode(boxId));
    }

    /// @notice A box's tier by its batch's published pepper.
    function tierOf(uint256 boxId) public view returns (uint256) {
        _requireOwned(boxId);
        Sold storage sold = _sold[boxId];
        Batch storage batch = batches[sold.batch];
        require(batch.isEnded, BatchNotEnded(sold.batch));
        return tierBy(boxId, batch.pepper, sold.kind);
    }

    /// @notice The latest batch, with nothing in it before the first.
    function currentBatch() external view returns (uint256 number, Batch memory batch) {
        return (batchCount, batches[batchCount]);
    }

    function box(uint256 boxId) public view returns (Box memory b) {
        b.owner = _requireOwned(boxId);
        Sold storage sold = _sold[boxId];
        (b.boxId, b.nonce, b.kind, b.batch) = (boxId, nonceOf(boxId), sold.kind, sold.batch);
        if (sold.isOpened) (b.isOpened, b.tier, b.prize) = (true, sold.tier, _kinds[sold.kind].tiers[sold.tier].prize);
    }

    /// @notice At most `count` of a wallet's boxes, of which it has `balanceOf`. A box that leaves the
    /// wallet puts the last one in its place.
    function boxesOf(address wallet, uint256 from, uint256 count) external view returns (Box[] memory boxes) {
        require(count <= MAX_PAGE, PageTooLong());
        uint256 length = _owned[wallet].length();
        if (from > length) from = length;
        if (count > length - from) count = length - from;
        boxes = new Box[](count);
        for (uint256 i = 0; i < count; i++) boxes[i] = box(_owned[wallet].at(from + i));
    }

    /// @dev A closed box stays with its buyer: who knows its tier could otherwise sell what is worth little.
    function _update(address to, uint256 boxId, address auth) internal override returns (address from) {
        from = super._update(to, boxId, auth);
        require(from == address(0) || _sold[boxId].isOpened, StillClosed(boxId));
        if (from != address(0)) _owned[from].remove(boxId);
        _owned[to].add(boxId);
    }

    function _open(uint256 boxId, uint256 tier) private returns (uint256 prize) {
        address owner_ = _requireOwned(boxId);
        Sold storage sold = _sold[boxId];
        require(!sold.isOpened, AlreadyOpened(boxId));
        Kind storage k = _kinds[sold.kind];
        require(tier < k.tiers.length, WrongTier());
        (sold.isOpened, sold.tier) = (true, uint8(tier));
        prize = k.tiers[tier].prize;
        prizesPromised -= k.topPrize - prize;
        openedBy[owner_]++;
        emit Opened(boxId, tier, prize, nonceOf(boxId));
    }

    function _setSigner(address signer_) private {
        require(signer_ != address(0), ZeroAddress());
        signer = signer_;
        emit SignerChanged(signer_);
    }
}
