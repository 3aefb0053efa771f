// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title Kinds of boxes
/// @notice A kind has a price in wei and tiers, each with a chance and a prize in the reward token's
/// smallest unit. They never change: a kind can only be taken off sale and put back on sale.
abstract contract BoxKinds is Ownable2Step {
    struct Tier {
        /// The chance, in 1/10000.
        uint16 bps;
        uint128 prize;
    }

    struct Kind {
        uint128 price;
        uint128 topPrize;
        bool isForSale;
        Tier[] tiers;
    }

    uint256 public constant MAX_KINDS = 32;
    uint256 public constant MAX_TIERS = 16;
    uint256 private constant ALL_BPS = 10_000;

    Kind[] internal _kinds;

    event KindAdded(uint256 indexed kind, uint256 price);
    event KindForSale(uint256 indexed kind, bool isForSale);

    error ZeroPrice();
    error TooManyKinds();
    error WrongTierCount(uint256 count);
    error ZeroBps();
    error WrongBps(uint256 sum);
    error UnknownKind(uint256 kind);

    /// @notice Adds a kind of box and puts it on sale. Its price and tiers never change.
    function addKind(uint128 price, Tier[] calldata tiers) external onlyOwner returns (uint256 kind) {
        kind = _kinds.length;
        require(kind < MAX_KINDS, TooManyKinds());
        require(price > 0, ZeroPrice());
        require(tiers.length > 0 && tiers.length <= MAX_TIERS, WrongTierCount(tiers.length));
        Kind storage k = _kinds.push();
        (k.price, k.isForSale) = (price, true);
        uint256 sum;
        for (uint256 i = 0; i < tiers.length; i++) {
            require(tiers[i].bps > 0, ZeroBps());
            sum += tiers[i].bps;
            if (tiers[i].prize > k.topPrize) k.topPrize = tiers[i].prize;
            k.tiers.push(tiers[i]);
        }
        require(sum == ALL_BPS, WrongBps(sum));
        emit KindAdded(kind, price);
    }

    /// @notice Puts a kind on sale or takes it off sale.
    function setForSale(uint256 kind, bool isForSale) external onlyOwner {
        _kind(kind).isForSale = isForSale;
        emit KindForSale(kind, isForSale);
    }

    /// @notice Returns the tier that `pepper` gives to `boxId` as a box of `kind`.
    function tierBy(uint256 boxId, bytes32 pepper, uint256 kind) public view returns (uint256 tier) {
        Tier[] storage tiers = _kind(kind).tiers;
        uint256 value = uint256(keccak256(abi.encode(boxId, pepper))) % ALL_BPS;
        for (uint256 sum = tiers[0].bps; sum <= value; sum += tiers[tier].bps) tier++;
    }

    function kinds() external view returns (Kind[] memory) {
        return _kinds;
    }

    function _kind(uint256 kind) internal view returns (Kind storage) {
        require(kind < _kinds.length, UnknownKind(kind));
        return _kinds[kind];
    }
}
